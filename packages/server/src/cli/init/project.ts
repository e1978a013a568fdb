import { readFile, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { version } from '#settings/version.ts'
import { finds, type PackageName, type ProjectSetup } from './project-setup.ts'

interface Manifest {
  type?: string
}

/** With the published package: a project of its own, or the one that is there, into which npm installs what it is made with. */
export const inFolderOfProject = async (folder: string, needs: PackageName, node = nodeOfCaller()): Promise<ProjectSetup> => {
  const present = await readManifest(folder)
  const go = relative('.', folder)
  const install = present === undefined ? 'npm install' : `npm install --save-exact ${needs}@${version()}`
  const steps = finds(folder, needs) ? [] : [go === '' ? install : `(cd ${go} && ${install})`]
  return {
    needsJs: !readsTypes(node),
    isModule: present === undefined || present.type === 'module',
    equip: async () => {
      if (present === undefined) await writeFile(join(folder, 'package.json'), manifestFor(folder, needs), { flag: 'wx' })
    },
    added: present === undefined ? ', and package.json says what it needs' : '',
    prepare: steps,
    node: 'node',
    offhook: 'npx offhook',
  }
}

const readManifest = async (folder: string): Promise<Manifest | undefined> => {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Manifest)
}

const manifestFor = (folder: string, needs: PackageName): string => {
  const name =
    basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') || 'assistant'
  const manifest = { name, private: true, type: 'module', dependencies: { [needs]: version() } }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/**
 * The Node of the terminal will run the assistant. The one that runs this may be newer: that which came with us, to which `bin/offhook.mjs` has handed
 * over, or which npx has found beside us.
 */
export const nodeOfCaller = (environment: Record<string, string | undefined> = process.env): string => {
  const { NODE_OF_CALLER, npm_config_user_agent: npx = '' } = environment
  return NODE_OF_CALLER ?? /\bnode\/v([\d.]+)/.exec(npx)?.[1] ?? process.versions.node
}

/** Node strips types by itself since 22.18. */
export const readsTypes = (node: string): boolean => {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  return major > 23 || (major === 22 && minor >= 18) || (major === 23 && minor >= 6)
}
