import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { bindingOf, type Binding } from './binding.ts'

export interface BindingsOptions {
  clock: Clock
  store: Store
  transport: { reaches(to: Flow): boolean }
}

/** Everywhere a device is registered and can be reached at this moment. */
export class Bindings {
  readonly #options: BindingsOptions

  constructor(options: BindingsOptions) {
    this.#options = options
  }

  async of(accountId: string, deviceId: string): Promise<Binding[]> {
    const { store, clock, transport } = this.#options
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    const reaches = (flow: Flow) => transport.reaches(flow)
    return (found.get(deviceId) ?? []).flatMap((registration) => bindingOf(registration, reaches) ?? [])
  }
}
