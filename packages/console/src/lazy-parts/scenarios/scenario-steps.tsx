import { Text } from '@mantine/core'
import type { ScenarioStep } from '@offhook/contract/assistant/scenario.ts'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import classes from './scenarios.module.css'
import { text } from './text.ts'
import { stepWords, isOfCaller } from './step-words.ts'

/** The caller's steps and expectations, in words. */
export const ScenarioSteps = ({ steps }: { steps: readonly ScenarioStep[] }) => {
  const say = useText(text)
  const { number } = useFormat()
  return (
    <ol className={classes.steps} aria-label={say.steps} tabIndex={0}>
      {steps.map((step, index) => {
        const { who, words } = stepWords(step, say, number)
        return (
          <li key={index} className={classes.step} data-of-caller={isOfCaller(step)}>
            <Text span size="xs" c="dimmed">
              {who}
            </Text>{' '}
            <span>{words}</span>
          </li>
        )
      })}
    </ol>
  )
}
