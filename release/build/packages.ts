import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** `package.json` of a workspace; the published one is derived from it. */
export interface Workspace {
  name: string
  version: string
  description: string
  keywords: string[]
  license: string
  /** Entry points by their name, such as `./problem.ts`. */
  exports?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** Published package: a complete folder built from a workspace. */
export interface Published {
  workspace: 'contract' | 'sip' | 'smpp' | 'sdk' | 'agent' | 'gateway' | 'mcp' | 'server'
  /** Source folder and output folder. */
  src: string
  dist: string
  /** Oldest supported Node. The service bundles its own where the installed one is older than 24. */
  node: string
}

const published = (workspace: Published['workspace'], node: string): Published => {
  const folder = join(root, 'packages', workspace)
  return { workspace, src: join(folder, 'src'), dist: join(folder, 'dist'), node }
}

/** In dependency order. */
export const libraries: readonly Published[] = [
  published('contract', '20'),
  published('sip', '22'),
  published('smpp', '22'),
  published('sdk', '20'),
  published('agent', '22'),
  published('gateway', '22'),
  published('mcp', '22'),
]
export const service: Published = published('server', '20')

/** Not published: tests, test helpers, examples, and generators of repository files. */
const atHome = /\.test\.ts$|(^|\/)(testing|examples)\/|^generate\//

export const isPublished = (file: string): boolean => !atHome.test(file)

export const workspaceOf = ({ workspace }: Published): Workspace => readJson(join(root, 'packages', workspace, 'package.json')) as Workspace

export const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
