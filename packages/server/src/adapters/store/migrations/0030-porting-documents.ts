/** Documents that a carrier requires before it releases a number: the signed form, the last invoice. */
export const portingDocuments = (): string[] => [
  `create table porting_document (
    id text primary key, account_id text not null references account, porting_id bigint not null references porting on delete cascade,
    name text not null, content_sealed text not null, bytes integer not null, added_at bigint not null)`,
  `create index porting_document_porting on porting_document (account_id, porting_id)`,
]
