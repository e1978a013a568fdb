/** Files that are complete on one machine and not yet in the shared store. */
export const fileUploads = (): string[] => [
  `create table file_upload (
    file_key text primary key, place text not null, created_at bigint not null, erased integer not null default 0)`,
]
