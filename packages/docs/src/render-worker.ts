import { parentPort } from 'node:worker_threads'
import { renderSite } from './site.ts'

/** For a service that runs from a clone: renders beside the main thread, says what came out, and ends. */
parentPort?.postMessage(renderSite().files, [])
