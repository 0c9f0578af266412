# Once, in the container `setup`: the catalog `lake`, and what alice (analyst) and bob (admin) may do in it.
set -eu
server=http://polaris:8181/api
token=$(curl -sS --fail-with-body "$server/catalog/v1/oauth/tokens" --user root:polaris-root-secret \
  -d grant_type=client_credentials -d scope=PRINCIPAL_ROLE:ALL | sed 's/.*"access_token" *: *"\([^"]*\)".*/\1/')

send() { # method, path, body
  curl -sS --fail-with-body -X "$1" "$server/$2" -d "$3" \
    -H "Authorization: Bearer $token" -H 'Content-Type: application/json'
}

send POST management/v1/catalogs '{"catalog": {"name": "lake", "type": "INTERNAL",
  "properties": {"default-base-location": "s3://lake/warehouse"},
  "storageConfigInfo": {"storageType": "S3", "allowedLocations": ["s3://lake/warehouse"], "region": "us-east-1",
    "roleArn": "arn:aws:iam::000000000000:role/lake", "pathStyleAccess": true,
    "endpoint": "http://localhost:9000", "endpointInternal": "http://minio:9000"}}}'
send POST management/v1/catalogs/lake/catalog-roles '{"catalogRole": {"name": "sales_reader"}}'

for person in alice:analyst:sales_reader bob:admin:catalog_admin; do
  name=${person%%:*} rest=${person#*:}
  role=${rest%%:*} catalog_role=${rest#*:}
  send POST management/v1/principals "{\"principal\": {\"name\": \"$name\"}}" > /dev/null
  send POST management/v1/principal-roles "{\"principalRole\": {\"name\": \"$role\"}}"
  send PUT "management/v1/principals/$name/principal-roles" "{\"principalRole\": {\"name\": \"$role\"}}"
  send PUT "management/v1/principal-roles/$role/catalog-roles/lake" "{\"catalogRole\": {\"name\": \"$catalog_role\"}}"
done

send PUT management/v1/catalogs/lake/catalog-roles/catalog_admin/grants \
  '{"grant": {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}}'
for namespace in sales hr; do
  send POST catalog/v1/lake/namespaces "{\"namespace\": [\"$namespace\"], \"properties\": {}}"
done
for privilege in NAMESPACE_LIST NAMESPACE_READ_PROPERTIES TABLE_LIST TABLE_READ_PROPERTIES TABLE_READ_DATA \
  VIEW_LIST VIEW_READ_PROPERTIES; do
  send PUT management/v1/catalogs/lake/catalog-roles/sales_reader/grants \
    "{\"grant\": {\"type\": \"namespace\", \"namespace\": [\"sales\"], \"privilege\": \"$privilege\"}}"
done
