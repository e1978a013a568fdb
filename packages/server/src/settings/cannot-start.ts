/** Reason why the service could not start, worded for the operator. */
export class CannotStart extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'CannotStart'
  }
}

/** Words an error of the machine or the database for the operator; other errors stay unchanged. */
export const blame =
  (what: string, isRefusal: (error: Error) => boolean = isRefused) =>
  (error: unknown): never => {
    const root = rootOf(error)
    if (!isRefusal(root)) throw error
    throw new CannotStart(`${what} cannot be used: ${root.message || String((root as NodeJS.ErrnoException).code)}`, error)
  }

const rootOf = (error: unknown): Error => {
  let root = error as Error
  while (root.cause instanceof Error) root = root.cause
  return root
}

// SQLite: busy, read-only, I/O error, full, cannot open, not a database.
const sqliteRefusals = [5, 8, 10, 13, 14, 26]

/** System codes such as EACCES, and PostgreSQL's classes for connections, authentication, missing databases and shortages. */
const isRefused = (error: Error): boolean => {
  const { code, errcode } = error as NodeJS.ErrnoException & { errcode?: number }
  if (errcode !== undefined) return sqliteRefusals.includes(errcode & 0xff)
  return /^(E[A-Z]+|DATABASE_IN_USE|DATABASE_TOO_NEW|(08|28|3D|53|57)\w{3})$/.test(code ?? '')
}
