import { chmodSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleInto } from '../../packages/console/build/bundle.ts'
import { compressFiles } from '../../packages/console/build/build.ts'
import { writeSite } from '../../packages/docs/src/write-site.ts'
import { notices } from '../notices.ts'
import { root } from './packages.ts'

/** Adds something to the service's folder that is not built from its sources. */
export type ServiceStep = (folder: string) => void | Promise<void>

const startedAs: ServiceStep = (folder) => {
  const program = join(folder, 'bin/offhook.mjs')
  cpSync(join(root, 'bin/offhook.mjs'), program)
  chmodSync(program, 0o755)
}

const sounds: ServiceStep = (folder) => cpSync(join(root, 'packages/server/assets'), join(folder, 'assets'), { recursive: true })

/** Built only for the package: the clone's build keeps files of older versions for browsers that have them open. */
const pages: ServiceStep = async (folder) => {
  const target = join(folder, 'console')
  await bundleInto(target)
  compressFiles(target)
}

/** Rendered at build time, so that a running service need not. */
const documentation: ServiceStep = (folder) => writeSite(join(folder, 'docs'))

const template: ServiceStep = (folder) => cpSync(join(root, 'examples/first-assistant/assistant.ts'), join(folder, 'template/assistant.ts'))

const othersNotices: ServiceStep = (folder) => writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), notices(root))

/** Run in order. */
export const serviceSteps: readonly ServiceStep[] = [startedAs, sounds, pages, documentation, template, othersNotices]
