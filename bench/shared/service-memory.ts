/** Memory of one thread of the service, in megabytes. */
export interface ThreadMemory {
  heapUsed: number
  heapTotal: number
  external: number
  arrayBuffers: number
}

export interface ServiceMemory {
  resident: number
  /** Sums over threads of the same name. */
  threads: Record<string, ThreadMemory>
}

export const metricsToken = 'bench'

const columns: Record<string, keyof ThreadMemory> = {
  heap_used_bytes: 'heapUsed',
  heap_total_bytes: 'heapTotal',
  external_bytes: 'external',
  array_buffer_bytes: 'arrayBuffers',
}

/** Read from the service's Prometheus metrics. */
export const readMemory = async (http: string): Promise<ServiceMemory> => {
  const reply = await fetch(`${http}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  const text = await reply.text()
  const threads: Record<string, ThreadMemory> = {}
  for (const [, name = '', thread = '', value = ''] of text.matchAll(/^offhook_(\w+)\{thread="(\w+)",id="\d+"\} (\d+)$/gm)) {
    const column = columns[name]
    if (!column) continue
    threads[thread] ??= { heapUsed: 0, heapTotal: 0, external: 0, arrayBuffers: 0 }
    threads[thread][column] += megabytes(Number(value))
  }
  return { resident: megabytes(Number(/^offhook_resident_bytes (\d+)$/m.exec(text)?.[1])), threads }
}

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)
