import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { apart } from './build/program.ts'
import { neededBy, type Locked } from './locked.ts'

/** Build tools that are not part of the console. */
const tools = ['vite', '@vitejs/plugin-react']

/** Packages bundled into the console. */
export const builtIntoConsole = (root: string): Locked[] => neededBy(root, 'packages/console', tools)

/** Packages bundled into the program or the console. */
export const builtIn = (root: string): Locked[] => {
  const all = [...neededBy(root, 'packages/server', apart), ...builtIntoConsole(root)].filter(({ name }) => !name.startsWith('@offhook/'))
  return [...new Map(all.map((one) => [`${one.name} ${one.version}`, one])).values()].toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  )
}

/** Licence text of the package; some small ones ship none, so only author and licence name remain. */
const licenceOf = (root: string, { name, licence }: Locked): string => {
  const folder = join(root, 'node_modules', name)
  const file = existsSync(folder) ? readdirSync(folder).find((one) => /^licen[cs]e/i.test(one)) : undefined
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').trim()
  const { author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { author?: string | { name?: string } }
  const holder = typeof author === 'object' ? author.name : author
  return `Licence: ${licence}${holder === undefined ? '' : `\nCopyright: ${holder}`}`
}

/** Third-party licence notices. */
export const notices = (root: string): string =>
  [
    'Offhook and its console contain these packages. What npm installs beside Offhook carries its licence in its own folder.',
    ...builtIn(root).map((one) => `${'-'.repeat(80)}\n${one.name} ${one.version}\n\n${licenceOf(root, one)}`),
    '',
  ].join('\n\n')
