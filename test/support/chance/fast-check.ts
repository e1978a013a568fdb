import * as fc from 'fast-check'

/**
 * Fixed seed, so that results depend on the change and not on luck. `OFFHOOK_TEST_SEED` selects other examples: to reproduce a failure, set its seed.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.OFFHOOK_TEST_SEED ?? 20_261) })

export { fc }
