/** As Kysely names it, so that older versions of the program wait for us and we for them. */
export const migrationLock = 3_853_314_791_062_309_107n
