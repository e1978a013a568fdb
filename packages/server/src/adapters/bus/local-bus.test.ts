import { busConformance } from '#test/conformance/bus.ts'
import { localBus, LocalHub } from './local-bus.ts'

busConformance({
  name: 'alone',
  open: async (t) => {
    const bus = localBus()
    t.after(() => bus.close())
    return { here: bus, there: bus }
  },
})

busConformance({
  name: 'two on one hub',
  open: async (t) => {
    const hub = new LocalHub()
    const [here, there] = [localBus(hub), localBus(hub)]
    t.after(() => Promise.all([here.close(), there.close()]))
    return { here, there }
  },
})
