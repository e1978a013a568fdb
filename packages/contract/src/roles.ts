/**
 * Role of a user in an account. Every user has their own telephone; BILLING also sees the account's money, DEVELOPER its assistants and
 * their resources, ADMIN everything.
 */
export const userRoles = ['ADMIN', 'USER', 'BILLING', 'DEVELOPER'] as const

export type UserRole = (typeof userRoles)[number]
