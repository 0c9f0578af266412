import java.io.*;
import java.lang.reflect.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.util.*;

/**
 * One connection of a JDBC driver, run by a test: a command a line with its parts between tabs, and an answer a
 * line as JSON. Arguments: the URL, then properties as name=value.
 */
public class JdbcRunner {
    private final Connection connection;

    JdbcRunner(Connection connection) {
        this.connection = connection;
    }

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        for (int i = 1; i < arguments.length; i++) {
            int at = arguments[i].indexOf('=');
            properties.setProperty(arguments[i].substring(0, at), arguments[i].substring(at + 1));
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        try (Connection connection = DriverManager.getConnection(arguments[0], properties)) {
            out.println(json(Map.of("connected", true)));
            JdbcRunner runner = new JdbcRunner(connection);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] parts = split(line);
                out.println(json(answered(() -> runner.answer(parts))));
            }
        } catch (SQLException error) {
            out.println(json(failure(error)));
        }
    }

    interface Work {
        Object run() throws Throwable;
    }

    static Object answered(Work work) {
        try {
            return work.run();
        } catch (InvocationTargetException error) {
            return failure(error.getCause());
        } catch (Throwable error) {
            return failure(error);
        }
    }

    static Map<String, Object> failure(Throwable error) {
        Map<String, Object> told = new LinkedHashMap<>();
        told.put("error", error.getClass().getName());
        told.put("message", String.valueOf(error.getMessage()));
        if (error instanceof SQLException) {
            told.put("state", ((SQLException) error).getSQLState());
        }
        return told;
    }

    /** The parts of a line: backslash escapes, and \0 alone is null. */
    static String[] split(String line) {
        String[] parts = line.split("\t", -1);
        for (int i = 0; i < parts.length; i++) {
            parts[i] = parts[i].equals("\\0")
                ? null
                : parts[i].replace("\\t", "\t").replace("\\n", "\n").replace("\\\\", "\\");
        }
        return parts;
    }

    Object answer(String[] parts) throws Throwable {
        String[] rest = Arrays.copyOfRange(parts, 1, parts.length);
        switch (parts[0]) {
            case "query":
                try (Statement statement = connection.createStatement()) {
                    return rows(statement.executeQuery(rest[0]));
                }
            case "update":
                try (Statement statement = connection.createStatement()) {
                    return Map.of("count", statement.executeLargeUpdate(rest[0]));
                }
            case "execute":
                try (Statement statement = connection.createStatement()) {
                    return outcome(statement.execute(rest[0]), statement);
                }
            case "prepare":
                return prepared(rest);
            case "updated":
                try (PreparedStatement statement = connection.prepareStatement(rest[0])) {
                    bind(statement, rest, 1);
                    return Map.of("count", statement.executeUpdate());
                }
            case "again":
                return again(rest);
            case "batch":
                return batch(rest);
            case "interleaved":
                return interleaved(rest);
            case "cancel":
                return cancelled(rest[0], Integer.parseInt(rest[1]));
            case "timeout":
                try (Statement statement = connection.createStatement()) {
                    statement.setQueryTimeout(Integer.parseInt(rest[1]));
                    return rows(statement.executeQuery(rest[0]));
                }
            case "metadata":
                return reflected(connection.getMetaData(), rest);
            case "connection":
                return reflected(connection, rest);
            case "everything":
                return everything(connection.getMetaData());
            default:
                throw new IllegalArgumentException(parts[0]);
        }
    }

    static Object outcome(boolean isRows, Statement statement) throws SQLException {
        if (isRows) {
            return rows(statement.getResultSet());
        }
        return Map.of("count", statement.getLargeUpdateCount());
    }

    /** SQL, then kind:value for each parameter. */
    Object prepared(String[] parts) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(parts[0])) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("parameters", parameters(statement.getParameterMetaData()));
            ResultSetMetaData columns = statement.getMetaData();
            told.put("described", columns == null ? null : columns(columns));
            if (parts.length > 1) {
                bind(statement, parts, 1);
            }
            told.put("outcome", answered(() -> outcome(statement.execute(), statement)));
            return told;
        }
    }

    /** SQL, then one kind:value for each time that it is run. */
    Object again(String[] parts) throws SQLException {
        List<Object> outcomes = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(parts[0])) {
            for (int i = 1; i < parts.length; i++) {
                set(statement, 1, parts[i]);
                outcomes.add(outcome(statement.execute(), statement));
            }
        }
        return outcomes;
    }

    /** SQL, how many parameters it has, then those of all rows. */
    Object batch(String[] parts) throws SQLException {
        int width = Integer.parseInt(parts[1]);
        try (PreparedStatement statement = connection.prepareStatement(parts[0])) {
            for (int first = 2; first < parts.length; first += width) {
                for (int i = 0; i < width; i++) {
                    set(statement, i + 1, parts[first + i]);
                }
                statement.addBatch();
            }
            List<Object> counts = new ArrayList<>();
            for (int count : statement.executeBatch()) {
                counts.add(count);
            }
            return counts;
        }
    }

    static void bind(PreparedStatement statement, String[] parts, int first) throws SQLException {
        for (int i = first; i < parts.length; i++) {
            set(statement, i - first + 1, parts[i]);
        }
    }

    static void set(PreparedStatement s, int i, String given) throws SQLException {
        String kind = given.substring(0, given.indexOf(':'));
        String value = given.substring(given.indexOf(':') + 1);
        switch (kind) {
            case "null": s.setNull(i, type(value)); break;
            case "boolean": s.setBoolean(i, Boolean.parseBoolean(value)); break;
            case "byte": s.setByte(i, Byte.parseByte(value)); break;
            case "short": s.setShort(i, Short.parseShort(value)); break;
            case "int": s.setInt(i, Integer.parseInt(value)); break;
            case "long": s.setLong(i, Long.parseLong(value)); break;
            case "float": s.setFloat(i, Float.parseFloat(value)); break;
            case "double": s.setDouble(i, Double.parseDouble(value)); break;
            case "decimal": s.setBigDecimal(i, new BigDecimal(value)); break;
            case "string": s.setString(i, value); break;
            case "nstring": s.setNString(i, value); break;
            case "bytes": s.setBytes(i, HexFormat.of().parseHex(value)); break;
            case "date": s.setDate(i, java.sql.Date.valueOf(value)); break;
            case "time": s.setTime(i, java.sql.Time.valueOf(value)); break;
            case "timestamp": s.setTimestamp(i, Timestamp.valueOf(value)); break;
            case "object": s.setObject(i, Long.parseLong(value)); break;
            default: throw new IllegalArgumentException(kind);
        }
    }

    static int type(String name) throws SQLException {
        try {
            return (int) Types.class.getField(name).get(null);
        } catch (ReflectiveOperationException error) {
            throw new SQLException(name);
        }
    }

    /** Several result sets that are open at once, read by turns. */
    Object interleaved(String[] queries) throws SQLException {
        List<Object> found = new ArrayList<>();
        List<Statement> statements = new ArrayList<>();
        List<ResultSet> open = new ArrayList<>();
        for (String query : queries) {
            statements.add(connection.createStatement());
            open.add(statements.get(statements.size() - 1).executeQuery(query));
        }
        boolean some = true;
        while (some) {
            some = false;
            for (ResultSet result : open) {
                if (result.next()) {
                    some = true;
                    found.add(result.getObject(1));
                }
            }
        }
        for (Statement statement : statements) {
            statement.close();
        }
        return found;
    }

    Object cancelled(String sql, int milliseconds) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread canceller = new Thread(() -> answered(() -> {
                Thread.sleep(milliseconds);
                statement.cancel();
                return null;
            }));
            canceller.start();
            try {
                return rows(statement.executeQuery(sql));
            } finally {
                canceller.join();
            }
        }
    }

    static Object reflected(Object target, String[] parts) throws Throwable {
        Class<?> type = target instanceof DatabaseMetaData ? DatabaseMetaData.class : Connection.class;
        for (Method method : type.getMethods()) {
            Class<?>[] kinds = method.getParameterTypes();
            if (!method.getName().equals(parts[0]) || kinds.length != parts.length - 1) {
                continue;
            }
            Object[] given = new Object[kinds.length];
            for (int i = 0; i < kinds.length; i++) {
                String text = parts[i + 1];
                given[i] = text == null ? null
                    : kinds[i] == int.class ? (Object) Integer.parseInt(text)
                    : kinds[i] == boolean.class ? (Object) Boolean.parseBoolean(text)
                    : kinds[i] == String[].class ? text.split(",") : text;
            }
            Object found = method.invoke(target, given);
            return found instanceof ResultSet ? rows((ResultSet) found) : value(found);
        }
        throw new NoSuchMethodException(parts[0]);
    }

    static Object everything(DatabaseMetaData metadata) {
        Map<String, Object> told = new TreeMap<>();
        for (Method method : DatabaseMetaData.class.getMethods()) {
            if (method.getParameterCount() == 0) {
                told.put(method.getName(), answered(() -> {
                    Object found = method.invoke(metadata);
                    return found instanceof ResultSet ? rows((ResultSet) found) : value(found);
                }));
            }
        }
        return told;
    }

    static List<Object> parameters(ParameterMetaData metadata) throws SQLException {
        List<Object> told = new ArrayList<>();
        for (int i = 1; i <= metadata.getParameterCount(); i++) {
            told.add(metadata.getParameterTypeName(i));
        }
        return told;
    }

    static List<Object> columns(ResultSetMetaData metadata) throws SQLException {
        List<Object> told = new ArrayList<>();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
            Map<String, Object> column = new LinkedHashMap<>();
            column.put("label", metadata.getColumnLabel(i));
            column.put("type", metadata.getColumnType(i));
            column.put("name", metadata.getColumnTypeName(i));
            column.put("class", metadata.getColumnClassName(i));
            column.put("precision", metadata.getPrecision(i));
            column.put("scale", metadata.getScale(i));
            told.add(column);
        }
        return told;
    }

    static Object rows(ResultSet result) throws SQLException {
        try (ResultSet open = result) {
            Map<String, Object> told = new LinkedHashMap<>();
            told.put("columns", columns(open.getMetaData()));
            List<Object> rows = new ArrayList<>();
            int width = open.getMetaData().getColumnCount();
            while (open.next()) {
                List<Object> row = new ArrayList<>();
                for (int i = 1; i <= width; i++) {
                    Object found = zoned(open, i) ? open.getTimestamp(i) : open.getObject(i);
                    row.add(open.wasNull() ? null : value(found));
                }
                rows.add(row);
            }
            told.put("rows", rows);
            return told;
        }
    }

    /** Of these, getObject says "not implemented" in driver 18.3.0. */
    static boolean zoned(ResultSet result, int column) throws SQLException {
        return result.getMetaData().getColumnType(column) == Types.TIMESTAMP_WITH_TIMEZONE;
    }

    /** Numbers, flags and lists are themselves; all else is text. */
    static Object value(Object found) throws SQLException {
        if (found instanceof byte[]) {
            return HexFormat.of().formatHex((byte[]) found);
        }
        if (found instanceof java.sql.Array) {
            List<Object> items = new ArrayList<>();
            for (Object item : (Object[]) ((java.sql.Array) found).getArray()) {
                items.add(value(item));
            }
            return items;
        }
        if (found instanceof Double || found instanceof Float) {
            double number = ((Number) found).doubleValue();
            return Double.isFinite(number) ? found : found.toString();
        }
        boolean plain = found instanceof Number && !(found instanceof BigDecimal);
        return found == null || plain || found instanceof Boolean ? found : found.toString();
    }

    static String json(Object value) {
        StringBuilder text = new StringBuilder();
        write(text, value);
        return text.toString();
    }

    static void write(StringBuilder text, Object value) {
        if (value instanceof Map) {
            String comma = "{";
            for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                write(text.append(comma), entry.getKey());
                write(text.append(':'), entry.getValue());
                comma = ",";
            }
            text.append(comma.equals("{") ? "{}" : "}");
        } else if (value instanceof List) {
            String comma = "[";
            for (Object item : (List<?>) value) {
                write(text.append(comma), item);
                comma = ",";
            }
            text.append(comma.equals("[") ? "[]" : "]");
        } else if (value instanceof String) {
            text.append('"');
            for (char c : ((String) value).toCharArray()) {
                if (c < ' ' || c == '"' || c == '\\' || c > '~') {
                    text.append(String.format("\\u%04x", (int) c));
                } else {
                    text.append(c);
                }
            }
            text.append('"');
        } else {
            text.append(value);
        }
    }
}
