/**
 * What a user of an account is there for. Everybody has their own telephone; BILLING sees the account's money besides, DEVELOPER its
 * assistants and what belongs to them, ADMIN everything.
 */
export const userRoles = ['ADMIN', 'USER', 'BILLING', 'DEVELOPER'] as const

export type UserRole = (typeof userRoles)[number]
