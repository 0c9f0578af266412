"""The tables of TPC-H as Trino's connector of that name shows them: definitions, and a generator of rows."""
