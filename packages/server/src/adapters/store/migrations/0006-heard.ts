/** Where phones are heard. The same rules for columns as before. */
export const heard = (): string[] => [
  // Behind proxies of ours it differs from where the REGISTER came from. Registrations of before say nothing about it.
  `alter table registration add column origin text not null default ''`,
  // What was last wrong with the sound of a phone, and in which call.
  `alter table device add column sound_state text`,
  `alter table device add column sound_call_id text`,
  `alter table device add column sound_at bigint`,
]
