/** Source address of phones' audio. The same column rules as before. */
export const heard = (): string[] => [
  // Behind our proxies it differs from the source of the REGISTER. Unknown for earlier registrations.
  `alter table registration add column origin text not null default ''`,
  // The last audio problem of a phone, and its call.
  `alter table device add column sound_state text`,
  `alter table device add column sound_call_id text`,
  `alter table device add column sound_at bigint`,
]
