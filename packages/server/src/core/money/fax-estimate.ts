const setUpSeconds = 30
const secondsPerPage = 60

/**
 * Line time to reserve money for before a fax is sent. Measured: 43 s for one page and about 30 s for each further one at 14400 bit/s, up
 * to 86 s per page on a slow line; a slower fax extends its reservation, since cutting it off would waste what was sent.
 */
export function estimateFaxSeconds(pages: number): number {
  return setUpSeconds + secondsPerPage * pages
}
