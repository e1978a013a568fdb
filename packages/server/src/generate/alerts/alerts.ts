import type { AlertsByArea } from './alert.ts'
import { callAlerts } from './call-alerts.ts'
import { clusterAlerts } from './cluster-alerts.ts'
import { machineAlerts } from './machine-alerts.ts'
import { soundAlerts } from './sound-alerts.ts'
import { storeAlerts } from './store-alerts.ts'
import { turnAlerts } from './turn-alerts.ts'

/** Everything that somebody should be told of. The rules for Prometheus and their page in the documentation come from here. */
export const alerts: AlertsByArea = {
  calls: callAlerts,
  turn: turnAlerts,
  sound: soundAlerts,
  machine: machineAlerts,
  store: storeAlerts,
  cluster: clusterAlerts,
}
