// Plain JavaScript for any Node from 18 on. After an installation in a clone: removes what no program here reads, then builds and fetches.
import { spawn } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Source maps are for readers of other people's code. They are every seventh file and 50 MB. */
const sourceMap = /\.(?:[cm]?[jt]s|css)\.map$/

/** Headers for compilers: 68 MB. Every native package here brings its library. */
const nodeHeaders = /^node-(?:bin-)?(?:linux|darwin)-(?:x64|arm64)\/include$/

const runtime = 'onnxruntime-node/bin/napi-v6'

/** macOS loads `libonnxruntime.1.dylib`; a copy of it has the full version in its name. */
const copyOfRuntime = /\/libonnxruntime\.\d+\.\d+\.\d+\.dylib$/

/** True for a file or folder of `node_modules` that nothing on this machine reads. */
const isUnused = (path, { platform, arch }) => {
  if (sourceMap.test(path) || nodeHeaders.test(path) || copyOfRuntime.test(path)) return true
  if (dirname(path) === runtime) return basename(path) !== platform
  return dirname(path) === `${runtime}/${platform}` && basename(path) !== arch
}

/**
 * Returns the paths it removed. npm reads the list of what it installed, not the files: it neither misses them nor brings them back.
 */
export const slim = (modules, machine = process) => {
  const removed = []
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (isUnused(relative(modules, path), machine)) {
        rmSync(path, { recursive: true })
        removed.push(path)
      } else if (entry.isDirectory()) visit(path)
    }
  }
  visit(modules)
  return removed
}

/** An installation that cannot be made smaller, built or given models is usable, and each of them reports its own failure. */
const afterInstall = async (root) => {
  try {
    slim(join(root, 'node_modules'))
  } catch (error) {
    console.error(`offhook: node_modules keeps files that nothing needs: ${error.message}`)
  }
  // The build takes a processor, the models wait for the network.
  await Promise.all(
    ['build', 'models'].map(
      (command) =>
        new Promise((resolve) => {
          spawn(process.execPath, [join(root, 'bin/offhook.mjs'), command], { cwd: root, stdio: 'inherit' }).on('close', resolve)
        }),
    ),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await afterInstall(join(dirname(fileURLToPath(import.meta.url)), '..'))
