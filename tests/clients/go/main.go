// A client of Flight SQL as Go programs are: ADBC's driver, whose calls compare the schemas of metadata
// strictly, and Arrow's own client for the commands that ADBC has no word for. It prints a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/apache/arrow-adbc/go/adbc"
	driver "github.com/apache/arrow-adbc/go/adbc/driver/flightsql"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql/schema_ref"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Arguments: host:port, user, password.
func main() {
	ctx := context.Background()
	address, user, password := os.Args[1], os.Args[2], os.Args[3]
	told := map[string]any{"adbc": ofADBC(ctx, address, user, password)}
	told["arrow"] = ofArrow(ctx, address, user, password)
	check(json.NewEncoder(os.Stdout).Encode(told))
}

func ofADBC(ctx context.Context, address, user, password string) map[string]any {
	database := must(driver.NewDriver(memory.DefaultAllocator).NewDatabase(map[string]string{
		adbc.OptionKeyURI:      "grpc+tcp://" + address,
		adbc.OptionKeyUsername: user,
		adbc.OptionKeyPassword: password,
	}))
	defer database.Close()
	connection := must(database.Open(ctx))
	defer connection.Close()
	told := map[string]any{}

	told["info"] = rows(must(connection.GetInfo(ctx, []adbc.InfoCode{adbc.InfoVendorName})))
	told["table_types"] = rows(must(connection.GetTableTypes(ctx)))
	update(ctx, connection, "CREATE TABLE from_go (id bigint, name varchar, price decimal(38,2), tags array(varchar))")
	told["inserted"] = update(ctx, connection, "INSERT INTO from_go VALUES (1, 'a', 1.25, ARRAY['x', NULL]), (2, NULL, NULL, NULL)")
	told["objects"] = rows(must(connection.GetObjects(ctx, adbc.ObjectDepthColumns, nil, nil, text("from_go"), nil, nil)))
	told["table_schema"] = must(connection.GetTableSchema(ctx, nil, nil, "from_go")).String()
	told["selected"] = query(ctx, connection, "SELECT * FROM from_go ORDER BY id", nil)
	told["empty"] = query(ctx, connection, "SELECT * FROM from_go WHERE 1 = 0", nil)
	parameters := must(records(arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.String},
	}, nil), `[{"a": 7, "b": "bound"}]`))
	told["bound"] = query(ctx, connection, "SELECT ? + 1 AS a, ? AS b", parameters)

	statement := must(connection.NewStatement())
	check(statement.SetOption(adbc.OptionKeyIngestTargetTable, "from_go"))
	check(statement.SetOption(adbc.OptionKeyIngestMode, adbc.OptionValueIngestModeAppend))
	more := must(records(arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil), `[{"id": 3, "name": "sent"}, {"id": null, "name": null}]`))
	check(statement.Bind(ctx, more))
	told["ingested"] = must(statement.ExecuteUpdate(ctx))
	check(statement.Close())
	told["count"] = query(ctx, connection, "SELECT count(*) AS n FROM from_go", nil)

	err := failure(ctx, connection, "SELECT nothing_like_it")
	if known, ok := err.(adbc.Error); ok {
		told["error"] = map[string]any{"text": known.Msg, "status": known.Code.String()}
	}
	update(ctx, connection, "DROP TABLE from_go")
	return told
}

func ofArrow(ctx context.Context, address, user, password string) map[string]any {
	client := must(flightsql.NewClient(address, nil, nil, grpc.WithTransportCredentials(insecure.NewCredentials())))
	defer client.Close()
	ctx = must(client.Client.AuthenticateBasicToken(ctx, user, password))
	told := map[string]any{}
	name := "queries"
	tables := flightsql.TableRef{Table: name}
	exact := map[string]struct {
		info   func() (*flight.FlightInfo, error)
		schema *arrow.Schema
	}{
		"catalogs":         {func() (*flight.FlightInfo, error) { return client.GetCatalogs(ctx) }, schema_ref.Catalogs},
		"schemas":          {func() (*flight.FlightInfo, error) { return client.GetDBSchemas(ctx, &flightsql.GetDBSchemasOpts{}) }, schema_ref.DBSchemas},
		"tables":           {func() (*flight.FlightInfo, error) { return client.GetTables(ctx, &flightsql.GetTablesOpts{}) }, schema_ref.Tables},
		"tables and their": {func() (*flight.FlightInfo, error) { return client.GetTables(ctx, &flightsql.GetTablesOpts{IncludeSchema: true}) }, schema_ref.TablesWithIncludedSchema},
		"table types":      {func() (*flight.FlightInfo, error) { return client.GetTableTypes(ctx) }, schema_ref.TableTypes},
		"types":            {func() (*flight.FlightInfo, error) { return client.GetXdbcTypeInfo(ctx, nil) }, schema_ref.XdbcTypeInfo},
		"info":             {func() (*flight.FlightInfo, error) { return client.GetSqlInfo(ctx, []flightsql.SqlInfo{}) }, schema_ref.SqlInfo},
		"primary keys":     {func() (*flight.FlightInfo, error) { return client.GetPrimaryKeys(ctx, tables) }, schema_ref.PrimaryKeys},
		"imported keys":    {func() (*flight.FlightInfo, error) { return client.GetImportedKeys(ctx, tables) }, schema_ref.ImportedKeys},
		"exported keys":    {func() (*flight.FlightInfo, error) { return client.GetExportedKeys(ctx, tables) }, schema_ref.ExportedKeys},
		"cross reference":  {func() (*flight.FlightInfo, error) { return client.GetCrossReference(ctx, tables, tables) }, schema_ref.CrossReference},
	}
	wrong := map[string]string{}
	for what, asked := range exact {
		info := must(asked.info())
		reader := must(client.DoGet(ctx, info.Endpoint[0].Ticket))
		for reader.Next() {
		}
		check(reader.Err())
		if !reader.Schema().Equal(asked.schema) {
			wrong[what] = fmt.Sprintf("%s instead of %s", reader.Schema(), asked.schema)
		}
		reader.Release()
	}
	told["wrong_schemas"] = wrong

	info := must(client.Execute(ctx, "SELECT 1 AS x"))
	cancelled := must(client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: info}))
	told["cancelled"] = cancelled.Status.String()

	set := must(client.SetSessionOptions(ctx, &flight.SetSessionOptionsRequest{
		SessionOptions: must(flight.NewSessionOptionValues(map[string]any{"catalog": "system", "nonsense": int64(1)})),
	}))
	told["refused_options"] = len(set.Errors)
	options := must(client.GetSessionOptions(ctx, &flight.GetSessionOptionsRequest{}))
	told["catalog"] = options.SessionOptions["catalog"].GetStringValue()
	closed := must(client.CloseSession(ctx, &flight.CloseSessionRequest{}))
	told["closed"] = closed.Status.String()
	return told
}

func text(value string) *string { return &value }

func records(schema *arrow.Schema, values string) (arrow.RecordBatch, error) {
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(values))
	return record, err
}

func update(ctx context.Context, connection adbc.Connection, sql string) int64 {
	statement := must(connection.NewStatement())
	defer statement.Close()
	check(statement.SetSqlQuery(sql))
	return must(statement.ExecuteUpdate(ctx))
}

func failure(ctx context.Context, connection adbc.Connection, sql string) error {
	statement := must(connection.NewStatement())
	defer statement.Close()
	check(statement.SetSqlQuery(sql))
	_, _, err := statement.ExecuteQuery(ctx)
	return err
}

func query(ctx context.Context, connection adbc.Connection, sql string, bound arrow.RecordBatch) any {
	statement := must(connection.NewStatement())
	defer statement.Close()
	check(statement.SetSqlQuery(sql))
	if bound != nil {
		check(statement.Prepare(ctx))
		check(statement.Bind(ctx, bound))
	}
	reader, _, err := statement.ExecuteQuery(ctx)
	check(err)
	return map[string]any{"rows": rows(reader), "schema": names(reader.Schema())}
}

func names(schema *arrow.Schema) []string {
	found := []string{}
	for _, field := range schema.Fields() {
		found = append(found, field.Name+" "+field.Type.String())
	}
	return found
}

func rows(reader array.RecordReader) []json.RawMessage {
	found := []json.RawMessage{}
	for reader.Next() {
		var some []json.RawMessage
		check(json.Unmarshal(must(reader.RecordBatch().MarshalJSON()), &some))
		found = append(found, some...)
	}
	check(reader.Err())
	return found
}
