import type { ExportArchives, PersonalData } from '#core/kernel/ports/account.ts'

async function* none(): AsyncGenerator<never, void, undefined> {}

/** Stubs for tests whose workers neither export nor erase. */
export const nothingStored: { personalData: PersonalData; exportArchives: ExportArchives } = {
  personalData: {
    exists: () => Promise.resolve(false),
    rows: none,
    files: none,
    erase: () => Promise.reject(new Error('nothing is stored')),
  },
  exportArchives: {
    write: () => Promise.reject(new Error('nothing is stored')),
    open: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(),
    list: none,
    removeLeftovers: () => Promise.resolve(),
  },
}
