import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import classes from './turn-bar.module.css'
import { endOf, steps, type StepTime } from './turn-steps.ts'

/** A part of a bar; its name is its colour. */
export interface PartTime<Name extends string = string> {
  step: Name
  fromMs: number
  toMs: number
}

/** The steps of a turn one after the other. `longest`: of all turns, which is the whole width. */
export const TurnBar = ({ times, maxLength }: { times: readonly PartTime[]; maxLength: number }) => (
  <span className={classes.bar} aria-hidden="true">
    {times.map(({ step, fromMs, toMs }) => (
      <span
        key={step}
        className={classes.part}
        data-step={step}
        style={{ left: `${(fromMs / maxLength) * 100}%`, width: `${((toMs - fromMs) / maxLength) * 100}%` }}
      />
    ))}
  </span>
)

export const Swatch = ({ step }: { step: string }) => <span className={classes.swatch} data-step={step} />

/** How long the answer took, in one line of the conversation; how long each step took when it is opened. */
export const TurnStrip = ({ times, maxLength }: { times: readonly StepTime[]; maxLength: number }) => {
  const say = useText(text)
  const { number } = useFormat()
  return (
    <details className={classes.strip} aria-live="off">
      <summary className={classes.summary}>
        <span className={classes.total}>{say.answeredAfter(number(endOf(times)))}</span>
        <TurnBar times={times} maxLength={maxLength} />
      </summary>
      <dl className={classes.steps}>
        {steps.map((step) => {
          const time = times.find((one) => one.step === step)
          return (
            <div key={step} title={say.stepHints[step]}>
              <dt>
                <Swatch step={step} />
                {say.steps[step]}
              </dt>
              <dd>{time ? say.ms(number(time.toMs - time.fromMs)) : say.unknown}</dd>
            </div>
          )
        })}
      </dl>
    </details>
  )
}
