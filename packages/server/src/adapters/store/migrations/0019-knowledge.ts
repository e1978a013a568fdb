/**
 * Documents that assistants can search. The index is our own, because SQLite's finds no German compounds and PostgreSQL has none like it:
 * one row per term of a document, with its passages. `lengths`: words per passage. `source`: the part that is still to be read, in chunks.
 */
export const knowledge = (): string[] => [
  `create table knowledge_document (
    id text primary key, account_id text not null, flow_id text not null, name text not null,
    kind text not null check (kind in ('text','markdown','html','pdf')), url text,
    state text not null check (state in ('PENDING','READY','FAILED')), problem text, bytes bigint not null, passages integer not null default 0,
    lengths text not null default '[]', added_at bigint not null)`,
  `create index knowledge_document_flow on knowledge_document (flow_id, added_at)`,
  `create index knowledge_document_account on knowledge_document (account_id)`,
  `create table knowledge_source (document_id text not null, nth integer not null, content text not null, primary key (document_id, nth))`,
  `create table knowledge_passage (
    document_id text not null, nth integer not null, heading text, page integer, content text not null, primary key (document_id, nth))`,
  `create table knowledge_term (
    flow_id text not null, term text not null, document_id text not null, postings text not null, primary key (flow_id, term, document_id))`,
  `create index knowledge_term_document on knowledge_term (document_id)`,
  `create table knowledge_vectors (
    document_id text not null, first integer not null, model text not null, vectors text not null, primary key (document_id, first))`,
]
