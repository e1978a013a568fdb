import { createRequire } from 'node:module'

export type Koffi = typeof import('koffi')

/** Throws where there is none for this system. It is not imported: what can do without it must start without it. */
export const loadKoffi = (): Koffi => createRequire(import.meta.url)('koffi') as Koffi

/** A library under the first of its names that this system knows. Throws what it said of the last one. */
export const loadFirst = (koffi: Koffi, [name = '', ...others]: readonly string[]): ReturnType<Koffi['load']> => {
  try {
    return koffi.load(name)
  } catch (error) {
    if (others.length === 0) throw error
    return loadFirst(koffi, others)
  }
}
