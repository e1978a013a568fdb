import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { schemaRelease } from '#adapters/store/migrate.ts'
import { ourRoot } from '../machine/program.ts'
import { temporaryFolder, type Scope } from '../machine/temporary-folder.ts'

const server = 'packages/server'
const store = `${server}/src/adapters/store`

/**
 * Later version of this program, `ahead` releases after this one: the same sources in a separate folder, with one more schema change per release. It
 * adds a column to every table, which reveals every statement of the earlier version that would fail on it.
 */
export const laterVersion = async (t: Scope, ahead: number): Promise<string> => {
  const root = await temporaryFolder(t)
  await mkdir(join(root, server), { recursive: true })
  await cp(join(ourRoot, server, 'src'), join(root, server, 'src'), { recursive: true })
  for (const name of ['node_modules', 'docs', 'package.json']) await symlink(join(ourRoot, name), join(root, name))
  await cp(join(ourRoot, 'bin'), join(root, 'bin'), { recursive: true })
  for (const name of await readdir(join(ourRoot, 'packages')))
    if (name !== 'server') await symlink(join(ourRoot, 'packages', name), join(root, 'packages', name))
  await rewrite(root, `${server}/package.json`, (text) => text.replace(/"version": "[^"]*"/, `"version": "0.${100 + ahead}.0"`))
  for (let step = 1; step <= ahead; step++) await addChange(root, schemaRelease + step)
  return root
}

const addChange = async (root: string, release: number): Promise<void> => {
  const statement = `\`alter table \${table} add column added_in_${release} text\``
  const change = [
    `import { tablesByFile } from '../../../generate/schema-columns.ts'`,
    `export const later${release} = (): string[] => Object.values(tablesByFile).flat().map((table) => ${statement})`,
  ]
  await writeFile(join(root, store, `migrations/90${release}-later.ts`), change.join('\n'))
  await rewrite(root, `${store}/migrate.ts`, (text) =>
    `import { later${release} } from './migrations/90${release}-later.ts'\n${text}`.replace(
      /(Record<string, SchemaChange> = \{[^}]*)\}/,
      `$1  '90${release}-later': expand(${release}, later${release}),\n}`,
    ),
  )
}

const rewrite = async (root: string, file: string, change: (text: string) => string): Promise<void> => {
  const before = await readFile(join(ourRoot, file), 'utf8').catch(() => '')
  const present = await readFile(join(root, file), 'utf8').catch(() => before)
  await writeFile(join(root, file), change(present))
}
