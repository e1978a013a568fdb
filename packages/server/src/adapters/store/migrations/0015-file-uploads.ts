/** Files that are complete on one machine and not yet in the store that all machines share. */
export const fileUploads = (): string[] => [
  `create table file_upload (
    file_key text primary key, place text not null, created_at bigint not null, erased integer not null default 0)`,
]
