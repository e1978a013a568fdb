import { operations, type Operation } from '@offhook/contract'
import type { Route } from '@offhook/sdk'
import type { Plugin } from 'vite'

const name = 'virtual:routes'
const resolved = `\0${name}`

/** The part of the contract that a browser needs: a line per operation instead of all the schemas. */
export const routesModule = (): Plugin => ({
  name: 'offhook-routes',
  resolveId: (id) => (id === name ? resolved : undefined),
  load: (id) => (id === resolved ? `export const routes = ${JSON.stringify(routes())}` : undefined),
})

const routes = (): Record<string, Route> => Object.fromEntries(Object.entries<Operation>(operations).map(([id, one]) => [id, toRoute(one)]))

const toRoute = ({ method, path, form, file, text }: Operation): Route => ({
  method,
  path,
  ...(form && { form }),
  ...(file && { file }),
  ...(text && { text }),
})
