import { diskSamples, openFileSamples, processSamples, watchMainThread } from '#adapters/machine/process-samples.ts'
import type { WatchedIsolate } from '#core/operate/metrics/memory-watch.ts'
import type { CertificateExpiry } from '#core/kernel/network/certificate.ts'
import type { Sample } from '#core/operate/metrics/families/sample.ts'
import type { Settings } from '#settings/config.ts'
import { version } from '#settings/version.ts'
import type { Open } from '../closing.ts'
import type { Core } from '../core.ts'
import type { Platform } from '../platform.ts'
import { callSamples, clusterSamples } from './core-samples.ts'
import { queueSamples, storeSamples } from './store-samples.ts'

/** What /metrics shows besides what parts add by themselves. Loaded only where the page exists: nothing here runs elsewhere. */
export const openMetrics = (settings: Settings, platform: Platform, core: Core, open: Open): void => {
  const { metrics, memory, certificates } = platform
  const mainThread = open(watchMainThread())
  metrics.add(processSamples(version()))
  metrics.add(mainThread.samples)
  metrics.add(() => memory.isolates.flatMap(isolateSamples))
  metrics.add(callSamples(core))
  metrics.add(clusterSamples(platform, core))
  metrics.add(storeSamples(platform))
  metrics.addCostly(queueSamples(platform))
  metrics.addCostly(diskSamples(settings.OFFHOOK_DATA))
  metrics.addCostly(openFileSamples)
  metrics.add(() => certificates.expiries().map(certificateSample))
}

const isolateSamples = (isolate: WatchedIsolate): Sample[] => {
  const labels = { thread: isolate.thread, id: String(isolate.id) }
  return [
    { name: 'offhook_thread_cpu_seconds_total', labels, value: isolate.cpuSeconds },
    { name: 'offhook_heap_used_bytes', labels, value: isolate.heapUsed },
    { name: 'offhook_heap_total_bytes', labels, value: isolate.heapTotal },
    { name: 'offhook_heap_limit_bytes', labels, value: isolate.heapLimit },
    { name: 'offhook_external_bytes', labels, value: isolate.external },
    { name: 'offhook_array_buffer_bytes', labels, value: isolate.arrayBuffers },
    { name: 'offhook_heap_near_limit', labels, value: Number(isolate.nearLimit) },
  ]
}

/** Of those in use, whatever their files say by now. */
const certificateSample = ({ name, notAfter }: CertificateExpiry): Sample => ({
  name: 'offhook_certificate_expiry_timestamp_seconds',
  labels: { name },
  value: notAfter / 1000,
})
