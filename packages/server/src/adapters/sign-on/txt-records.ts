import { Resolver } from 'node:dns/promises'

const absent = new Set(['ENODATA', 'ENOTFOUND', 'ESERVFAIL', 'ETIMEOUT', 'EREFUSED', 'ECONNREFUSED'])

/** `servers`: with their ports, `127.0.0.1:53`; default: those of the system. */
export const txtRecords =
  (servers?: readonly string[]) =>
  async (name: string): Promise<string[]> => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      if (absent.has((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }
