import { Tooltip } from '@mantine/core'
import { useFormat } from '#parts/value/use-format.ts'
import { useText } from '#words/use-text.tsx'
import { gradeOf, type Quality } from '#api/phone/quality.ts'
import classes from './call-bar.module.css'
import { text } from './text.ts'

/** Three bars, as phones have them; the figures behind. */
export const QualityMark = ({ quality }: { quality: Quality }) => {
  const say = useText(text)
  const { number } = useFormat()
  const grade = gradeOf(quality)
  const rtt = quality.rttMs === undefined ? '–' : number(quality.rttMs)
  const figures = say.figures(number(quality.lossPct, 1), number(quality.jitterMs), rtt)
  return (
    <Tooltip label={`${say.quality[grade]}. ${figures}`}>
      <span className={classes.quality} data-grade={grade} role="img" aria-label={`${say.quality[grade]}. ${figures}`}>
        <i />
        <i />
        <i />
      </span>
    </Tooltip>
  )
}
