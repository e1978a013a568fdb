import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'
import classes from './turn-bar.module.css'
import { steps, type StepTime, endOf } from './turn-steps.ts'

/** A part of a bar; its name selects its colour. */
export interface PartTime<Name extends string = string> {
  step: Name
  fromMs: number
  toMs: number
}

/** The steps of a turn consecutively. `maxLength`: the longest turn, which takes the full width. */
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

/** Answer time in one line of the conversation; the time of each step when opened. */
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
