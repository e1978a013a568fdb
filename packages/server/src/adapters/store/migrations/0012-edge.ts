/** Phones behind our edge: the row says where the phone is, and `via` where the edge is that leads to it. */
export const edge = (): string[] => [`alter table registration add column via text not null default ''`]
