// Iceberg's own server side (CatalogHandlers) behind the JDK's HTTP server: java -cp JARS THIS.java DIRECTORY
// Prints its port, and ends when its standard input does.

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.apache.iceberg.exceptions.NoSuchIcebergTableException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NoSuchViewException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.UnprocessableEntityException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.rest.CatalogHandlers;
import org.apache.iceberg.rest.Endpoint;
import org.apache.iceberg.rest.RESTCatalogProperties.SnapshotMode;
import org.apache.iceberg.rest.RESTSerializers;
import org.apache.iceberg.rest.requests.CreateNamespaceRequest;
import org.apache.iceberg.rest.requests.CreateTableRequest;
import org.apache.iceberg.rest.requests.CreateViewRequest;
import org.apache.iceberg.rest.requests.RegisterTableRequest;
import org.apache.iceberg.rest.requests.RegisterViewRequest;
import org.apache.iceberg.rest.requests.RenameTableRequest;
import org.apache.iceberg.rest.requests.UpdateNamespacePropertiesRequest;
import org.apache.iceberg.rest.requests.UpdateTableRequest;
import org.apache.iceberg.rest.responses.ConfigResponse;
import org.apache.iceberg.shaded.com.fasterxml.jackson.annotation.JsonAutoDetect;
import org.apache.iceberg.shaded.com.fasterxml.jackson.annotation.PropertyAccessor;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.DeserializationFeature;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.iceberg.shaded.com.fasterxml.jackson.databind.PropertyNamingStrategies;

public class IcebergRestServer {
  static final ObjectMapper JSON = new ObjectMapper();
  static final JdbcCatalog CATALOG = new JdbcCatalog();
  static final List<Endpoint> ENDPOINTS =
      List.of(
          Endpoint.V1_LIST_NAMESPACES,
          Endpoint.V1_LOAD_NAMESPACE,
          Endpoint.V1_NAMESPACE_EXISTS,
          Endpoint.V1_CREATE_NAMESPACE,
          Endpoint.V1_UPDATE_NAMESPACE,
          Endpoint.V1_DELETE_NAMESPACE,
          Endpoint.V1_LIST_TABLES,
          Endpoint.V1_LOAD_TABLE,
          Endpoint.V1_TABLE_EXISTS,
          Endpoint.V1_CREATE_TABLE,
          Endpoint.V1_UPDATE_TABLE,
          Endpoint.V1_DELETE_TABLE,
          Endpoint.V1_RENAME_TABLE,
          Endpoint.V1_REGISTER_TABLE,
          Endpoint.V1_REPORT_METRICS,
          Endpoint.V1_LIST_VIEWS,
          Endpoint.V1_LOAD_VIEW,
          Endpoint.V1_VIEW_EXISTS,
          Endpoint.V1_CREATE_VIEW,
          Endpoint.V1_UPDATE_VIEW,
          Endpoint.V1_DELETE_VIEW,
          Endpoint.V1_RENAME_VIEW,
          Endpoint.V1_REGISTER_VIEW);

  public static void main(String[] arguments) throws Exception {
    JSON.setVisibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY);
    JSON.configure(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, false);
    JSON.setPropertyNamingStrategy(new PropertyNamingStrategies.KebabCaseStrategy());
    RESTSerializers.registerAll(JSON);
    CATALOG.setConf(new Configuration());
    CATALOG.initialize(
        "served",
        Map.of(
            "uri", "jdbc:sqlite:" + arguments[0] + "/served.db?busy_timeout=30000",
            "warehouse", "file://" + arguments[0] + "/warehouse",
            "jdbc.schema-version", "V1",
            "jdbc.strict-mode", "true",
            "unique-table-location", "true"));
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", IcebergRestServer::serve);
    server.start();
    System.out.println(server.getAddress().getPort());
    while (System.in.read() >= 0) {}
    System.exit(0);
  }

  static void serve(HttpExchange exchange) throws IOException {
    int status = 200;
    Object answer;
    try {
      byte[] body = exchange.getRequestBody().readAllBytes();
      answer = answer(exchange, body);
      status = answer == null ? 204 : 200;
    } catch (Exception error) {
      status = status(error);
      String kind = error.getClass().getSimpleName();
      answer = Map.of("error", Map.of("message", "" + error.getMessage(), "type", kind, "code", status));
    }
    byte[] written = answer == null ? new byte[0] : JSON.writeValueAsBytes(answer);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    boolean head = exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, written.length == 0 || head ? -1 : written.length);
    if (!head) exchange.getResponseBody().write(written);
    exchange.close();
  }

  static int status(Exception error) {
    if (error instanceof NoSuchNamespaceException
        || error instanceof NoSuchTableException
        || error instanceof NoSuchIcebergTableException
        || error instanceof NoSuchViewException
        || error instanceof NotFoundException) return 404;
    if (error instanceof AlreadyExistsException
        || error instanceof CommitFailedException
        || error instanceof NamespaceNotEmptyException) return 409;
    if (error instanceof UnsupportedOperationException) return 406;
    if (error instanceof UnprocessableEntityException) return 422;
    return error instanceof IllegalArgumentException || error instanceof ValidationException ? 400 : 500;
  }

  static Object answer(HttpExchange exchange, byte[] body) throws IOException {
    String[] path = exchange.getRequestURI().getRawPath().split("/");
    for (int i = 0; i < path.length; i++) path[i] = URLDecoder.decode(path[i], StandardCharsets.UTF_8);
    String method = exchange.getRequestMethod().replace("HEAD", "GET");
    // "", "v1", and what follows
    String[] rest = Arrays.copyOfRange(path, 2, path.length);
    Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
    String shape = method + " " + rest[0] + "/" + rest.length;
    switch (shape) {
      case "GET config/1":
        return ConfigResponse.builder().withEndpoints(ENDPOINTS).build();
      case "GET namespaces/1":
        String parent = query.getOrDefault("parent", "");
        return CatalogHandlers.listNamespaces(CATALOG, parent.isEmpty() ? Namespace.empty() : namespace(parent));
      case "POST namespaces/1":
        return CatalogHandlers.createNamespace(CATALOG, read(body, CreateNamespaceRequest.class));
      case "GET namespaces/2":
        return CatalogHandlers.loadNamespace(CATALOG, namespace(rest[1]));
      case "DELETE namespaces/2":
        CatalogHandlers.dropNamespace(CATALOG, namespace(rest[1]));
        return null;
      case "POST tables/2":
        CatalogHandlers.renameTable(CATALOG, read(body, RenameTableRequest.class));
        return null;
      case "POST views/2":
        CatalogHandlers.renameView(CATALOG, read(body, RenameTableRequest.class));
        return null;
      default:
        Namespace namespace = namespace(rest[1]);
        TableIdentifier name = rest.length > 3 ? TableIdentifier.of(namespace, rest[3]) : null;
        String action = method + " " + rest[2] + "/" + rest.length;
        switch (rest[2]) {
          case "properties":
            UpdateNamespacePropertiesRequest changes = read(body, UpdateNamespacePropertiesRequest.class);
            return CatalogHandlers.updateNamespaceProperties(CATALOG, namespace, changes);
          case "register":
            RegisterTableRequest table = read(body, RegisterTableRequest.class);
            return CatalogHandlers.registerTable(CATALOG, namespace, table);
          case "register-view":
            RegisterViewRequest view = read(body, RegisterViewRequest.class);
            return CatalogHandlers.registerView(CATALOG, namespace, view);
          case "tables":
            return table(action, namespace, name, query, body);
          default:
            return view(action, namespace, name, body);
        }
    }
  }

  static Object table(
      String action, Namespace namespace, TableIdentifier name, Map<String, String> query, byte[] body)
      throws IOException {
    switch (action) {
      case "GET tables/3":
        return CatalogHandlers.listTables(CATALOG, namespace);
      case "POST tables/3":
        // JdbcCatalog refuses it as well, in other words than Iceberg's tests expect.
        CatalogHandlers.namespaceExists(CATALOG, namespace);
        CreateTableRequest request = read(body, CreateTableRequest.class);
        return request.stageCreate()
            ? CatalogHandlers.stageTableCreate(CATALOG, namespace, request)
            : CatalogHandlers.createTable(CATALOG, namespace, request);
      case "GET tables/4":
        return CatalogHandlers.loadTable(CATALOG, name, SnapshotMode.ALL);
      case "POST tables/4":
        return CatalogHandlers.updateTable(CATALOG, name, read(body, UpdateTableRequest.class));
      case "DELETE tables/4":
        if (query.getOrDefault("purgeRequested", "false").equals("true")) {
          CatalogHandlers.purgeTable(CATALOG, name);
        } else {
          CatalogHandlers.dropTable(CATALOG, name);
        }
        return null;
      case "POST tables/5":
        return null; // metrics
      default:
        throw new UnsupportedOperationException(action);
    }
  }

  static Object view(String action, Namespace namespace, TableIdentifier name, byte[] body) throws IOException {
    switch (action) {
      case "GET views/3":
        return CatalogHandlers.listViews(CATALOG, namespace);
      case "POST views/3":
        return CatalogHandlers.createView(CATALOG, namespace, read(body, CreateViewRequest.class));
      case "GET views/4":
        return CatalogHandlers.loadView(CATALOG, name);
      case "POST views/4":
        return CatalogHandlers.updateView(CATALOG, name, read(body, UpdateTableRequest.class));
      case "DELETE views/4":
        CatalogHandlers.dropView(CATALOG, name);
        return null;
      default:
        throw new UnsupportedOperationException(action);
    }
  }

  static <T> T read(byte[] body, Class<T> type) throws IOException {
    return JSON.readValue(body, type);
  }

  static Namespace namespace(String text) {
    return Namespace.of(text.split("" + (char) 31 + ""));
  }

  static Map<String, String> query(String text) {
    Map<String, String> found = new HashMap<>();
    for (String pair : text == null ? new String[0] : text.split("&")) {
      String[] parts = pair.split("=", 2);
      found.put(parts[0], parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return found;
  }
}
