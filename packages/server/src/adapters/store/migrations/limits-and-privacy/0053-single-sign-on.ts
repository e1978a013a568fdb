/**
 * Identity providers of accounts: their domains, the users they know, the logins that came from them, and groups over SCIM. Only one
 * provider can have a verified domain.
 */
export const singleSignOn = (): string[] => [
  `create table identity_provider (
    id text primary key, account_id text not null references account, kind text not null check (kind in ('OIDC','SAML')), name text not null,
    settings text not null, secret_sealed text, enforced integer not null, scim_hash text unique, created_at bigint not null)`,
  `create index identity_provider_account on identity_provider (account_id)`,
  `create table provider_domain (
    provider_id text not null references identity_provider, account_id text not null, domain text not null, verified_at bigint,
    primary key (provider_id, domain))`,
  `create unique index provider_domain_verified on provider_domain (domain) where verified_at is not null`,
  `create table provider_user (
    provider_id text not null references identity_provider, account_id text not null, user_ext text not null, subject text,
    external_id text, created_at bigint not null, primary key (provider_id, user_ext))`,
  `create unique index provider_user_subject on provider_user (provider_id, subject) where subject is not null`,
  `create index provider_user_user on provider_user (account_id, user_ext)`,
  `create table provider_session (
    token_id text primary key, provider_id text not null references identity_provider, account_id text not null, user_ext text not null,
    hint_sealed text not null, created_at bigint not null)`,
  `create index provider_session_provider on provider_session (provider_id)`,
  `create index provider_session_user on provider_session (account_id, user_ext)`,
  `create table provider_group (
    id text primary key, provider_id text not null references identity_provider, account_id text not null, name text not null,
    external_id text, created_at bigint not null)`,
  `create unique index provider_group_name on provider_group (provider_id, name)`,
  `create table provider_group_member (
    group_id text not null references provider_group on delete cascade, account_id text not null, user_ext text not null,
    primary key (group_id, user_ext))`,
  `create index provider_group_member_user on provider_group_member (account_id, user_ext)`,
]
