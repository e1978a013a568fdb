/** Where audio of phones arrives. The same rules for columns as before. */
export const heard = (): string[] => [
  // Behind proxies of ours it differs from where the REGISTER came from. Registrations of before say nothing about it.
  `alter table registration add column origin text not null default ''`,
  // The last audio problem of a phone, and its call.
  `alter table device add column sound_state text`,
  `alter table device add column sound_call_id text`,
  `alter table device add column sound_at bigint`,
]
