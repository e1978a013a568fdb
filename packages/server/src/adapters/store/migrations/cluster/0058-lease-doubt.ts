/** Silence of a lease that other nodes have to await before they take calls of its owner. */
export const leaseDoubt = (): string[] => [`alter table lease add column doubt_ms integer not null default 0`]
