/** How long receivers that have not heard of a new secret yet are still served. */
export const secretOverlapMs = 24 * 60 * 60 * 1000

/** That sign at the same time. */
export const maxSecrets = 5
