/** Where phones are heard. The same rules for columns as before. */
export const heard = (): string[] => [
  // Behind proxies of ours it differs from where the REGISTER came from. Registrations of before say nothing about it.
  `alter table registration add column origin text not null default ''`,
]
