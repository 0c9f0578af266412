// A statement for each argument after the address, and its rows as a line of JSON.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"time"

	_ "github.com/trinodb/trino-go-client/trino"
)

type told struct {
	Columns []string `json:"columns"`
	Types   []string `json:"types"`
	Rows    [][]any  `json:"rows"`
	Error   string   `json:"error,omitempty"`
}

func ask(db *sql.DB, statement string) (answer told) {
	arguments := []any{}
	if statement == "parameters" {
		statement, arguments = "SELECT ? + 1, ?", []any{int64(41), "it's"}
	}
	ctx := context.Background()
	if statement == "cancel" {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, 500*time.Millisecond)
		defer stop()
		statement = "SELECT count(*) FROM TABLE(sequence(1, 3000000)) AS a, TABLE(sequence(1, 3000000)) AS b " +
			"WHERE a.sequential_number * b.sequential_number % 7 = 3"
	}
	rows, err := db.QueryContext(ctx, statement, arguments...)
	if err != nil {
		answer.Error = err.Error()
		return
	}
	defer rows.Close()
	answer.Columns, _ = rows.Columns()
	types, _ := rows.ColumnTypes()
	for _, t := range types {
		answer.Types = append(answer.Types, t.DatabaseTypeName())
	}
	for rows.Next() {
		values := make([]any, len(answer.Columns))
		places := make([]any, len(values))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			answer.Error = err.Error()
			return
		}
		answer.Rows = append(answer.Rows, values)
	}
	if err := rows.Err(); err != nil {
		answer.Error = err.Error()
	}
	return
}

func main() {
	db, err := sql.Open("trino", os.Args[1])
	if err != nil {
		panic(err)
	}
	defer db.Close()
	for _, statement := range os.Args[2:] {
		line, err := json.Marshal(ask(db, statement))
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
	}
}
