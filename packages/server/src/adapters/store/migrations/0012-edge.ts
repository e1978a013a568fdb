/** Phones behind our edge: the row has the location of the phone, and `via` that of the edge in front of it. */
export const edge = (): string[] => [`alter table registration add column via text not null default ''`]
