import { parentPort, workerData } from 'node:worker_threads'
import { FaultyLink, type LinkState } from './faulty-link.ts'

/** Database link in a separate thread: next to telephones it would be late. */
const link = await FaultyLink.open({ after: () => {} }, Number(workerData))
parentPort?.postMessage(link.port, [])
parentPort?.on('message', (state: LinkState) => {
  link.become(state)
  parentPort?.postMessage(state.kind, [])
})
