import { parentPort } from 'node:worker_threads'
import { renderSite } from './site.ts'

/** For a service that runs from a clone: renders in a worker thread, posts the result, and ends. */
parentPort?.postMessage(renderSite().files, [])
