export interface OidcRecords {}
