import { performance } from 'node:perf_hooks'
import type { NodeWork } from '#core/kernel/ports/store/operate/nodes.ts'

export type ProcessLoad = Pick<NodeWork, 'processors' | 'busy' | 'memoryBytes'>

/** What this process costs its machine; each reading is about the time since the one before. */
export const processLoad = (): (() => ProcessLoad) => {
  let cpu = process.cpuUsage()
  let at = performance.now()
  let loop = performance.eventLoopUtilization()
  return () => {
    const [lastCpu, lastAt, lastLoop] = [cpu, at, loop]
    cpu = process.cpuUsage()
    at = performance.now()
    loop = performance.eventLoopUtilization()
    const microseconds = cpu.user - lastCpu.user + cpu.system - lastCpu.system
    return {
      processors: hundredths(microseconds / 1000 / Math.max(at - lastAt, 1)),
      busy: hundredths(performance.eventLoopUtilization(loop, lastLoop).utilization),
      memoryBytes: process.memoryUsage.rss(),
    }
  }
}

const hundredths = (value: number): number => Math.round(value * 100) / 100
