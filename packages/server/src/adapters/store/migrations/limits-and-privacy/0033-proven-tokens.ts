/**
 * Whether a token comes from a login with a second factor. Known for tokens younger than the second factor of their user, and for logins of
 * accounts that require one: the others had ended.
 */
export const provenTokens = (): string[] => [
  `alter table token add column second_factor integer not null default 0`,
  `update token set second_factor = 1 where exists (
    select 1 from app_user where app_user.account_id = token.account_id and app_user.ext = token.user_ext and (
      exists (select 1 from totp where totp.subject = app_user.subject and totp.confirmed_at <= token.created_at)
      or exists (select 1 from passkey where passkey.subject = app_user.subject and passkey.created_at <= token.created_at)))`,
  `update token set second_factor = 1 where kind = 'session' and scopes <> '' and exists (
    select 1 from account where account.id = token.account_id and account.second_factor = 1)`,
]
