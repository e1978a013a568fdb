import * as fc from 'fast-check'

/**
 * The same examples in every run, so that a change is judged by what it changed and not by luck. `OFFHOOK_TEST_SEED` looks at others:
 * with a failure, give its seed to reproduce it.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.OFFHOOK_TEST_SEED ?? 20_261) })

export { fc }
