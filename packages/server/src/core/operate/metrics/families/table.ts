import { callFamilies } from './call-families.ts'
import { clusterFamilies } from './cluster-families.ts'
import type { Area, Family } from './family.ts'
import { machineFamilies } from './machine-families.ts'
import { soundFamilies } from './sound-families.ts'
import { storeFamilies } from './store-families.ts'
import { turnFamilies } from './turn-families.ts'

/** Everything that /metrics can say, by area. The page, the documentation, the dashboard and the checks of alert rules come from here. */
export const familiesOf = {
  calls: callFamilies,
  turn: turnFamilies,
  sound: soundFamilies,
  machine: machineFamilies,
  store: storeFamilies,
  cluster: clusterFamilies,
} as const satisfies Record<Area, Record<string, Family>>

export const families = {
  ...callFamilies,
  ...turnFamilies,
  ...soundFamilies,
  ...machineFamilies,
  ...storeFamilies,
  ...clusterFamilies,
} as const satisfies Record<string, Family>

export type MetricName = keyof typeof families
