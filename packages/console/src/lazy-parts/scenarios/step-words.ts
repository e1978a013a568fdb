import type { ScenarioStep } from '@offhook/contract/assistant/scenario.ts'
import type { ScenarioText } from './text.ts'

interface StepWords {
  /** The actor, or the kind of check. */
  who: string
  words: string
}

/** Describes one step of a scenario. */
export const stepWords = (step: ScenarioStep, say: ScenarioText, number: (value: number, digits?: number) => string): StepWords => {
  if ('expect' in step) return { who: say.expected, words: say.expects(step.expect).join('; ') }
  if ('judge' in step) return { who: say.judged, words: step.judge }
  return { who: say.caller, words: callerWords(step, say, number) }
}

const callerWords = (
  step: Exclude<ScenarioStep, { expect: unknown } | { judge: unknown }>,
  say: ScenarioText,
  number: (value: number, digits?: number) => string,
): string => {
  if ('say' in step) {
    const said = say.says(step.say)
    if (step.into_ms === undefined) return said
    const seconds = number(step.into_ms / 1000, 1)
    return `${step.interrupts === false ? say.speaksInto(seconds) : say.interrupts(seconds)}: ${said}`
  }
  if ('press' in step) return say.presses(step.press)
  if ('wait_seconds' in step) return say.waits(number(step.wait_seconds, 1))
  if ('caller' in step) return say.played(step.caller.goal)
  return say.hangsUp
}

/** A step of the caller; the following checks belong to it. */
export const isOfCaller = (step: ScenarioStep): boolean => !('expect' in step) && !('judge' in step)
