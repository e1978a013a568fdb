/** Roles that an account defines. A user holds their ids as JSON; null: the built-in role decides. */
export const ownRoles = (): string[] => [
  `create table own_role (
    account_id text not null, id text not null, name text not null, permissions text not null, scope text, created_at bigint not null,
    primary key (account_id, id))`,
  `alter table app_user add column role_ids text`,
]
