// A statement for each argument after the address, and its pages as a line of JSON.
import { BasicAuth, Trino } from "trino-client";

const [server, ...statements] = process.argv.slice(2);
const trino = Trino.create({
  server,
  catalog: "iceberg",
  schema: "shop",
  auth: new BasicAuth("joe"),
});
for (const sql of statements) {
  const iterator = await trino.query(sql);
  const told = { columns: [], rows: [], error: null };
  for await (const page of iterator) {
    told.columns = (page.columns ?? told.columns).map((column) => column.name ?? column);
    told.rows.push(...(page.data ?? []));
    told.error = page.error?.errorName ?? told.error;
  }
  console.log(JSON.stringify(told));
}
