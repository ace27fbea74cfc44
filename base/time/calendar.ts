/** Days since 1970-01-01 of a date of the Gregorian calendar, years 1 to 9999. */
export function daysSince1970(year: number, month: number, day: number): number {
  // Years start on March 1 here, so that the leap day is the last day of its year.
  const marchYear = month > 2 ? year : year - 1;
  const century = Math.floor(marchYear / 100);
  const leapDays = Math.floor(marchYear / 4) - century + Math.floor(century / 4);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  // 719,468 days lie between 0000-03-01 and 1970-01-01.
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

export function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}
