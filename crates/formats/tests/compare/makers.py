"""PDFs whose text is known. Each maker writes a file and returns the text in the order in which it is read."""

import io
import pathlib
import random

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.lib.units import cm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    FrameBreak,
    NextPageTemplate,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")
WIDTH, HEIGHT = A4
VOCABULARY = """the of and to in is that for it as was with be by on not he his but at are this have from or had an they which
one you were all her she there would their we him been has when who will no more if out so up said what its about than into
them can only other time new some could these two may first then do any like my now over such our man me even most made after
also did many off before must well back through years where much your way down should because long each just state people
those too mister how little good world make very year still see own work men day get here old life both between being under
three never know same last another while us might great go come since against right came take used himself few house american
use place during without high again home around small however found Mrs part school thought went say general once upon war
every don does got united left number course until always away public something fact water though less enough took head yet
government system set told nothing night end why called find going look asked later point knew next city business give group
toward days young let room side social present given several order early""".split()


def sentence(source, length=None):
    chosen = [source.choice(VOCABULARY) for _ in range(length or source.randint(6, 16))]
    return " ".join(chosen).capitalize() + "."


def paragraph(source, sentences=6):
    return " ".join(sentence(source) for _ in range(sentences))


def dejavu(name="DejaVuSans"):
    pdfmetrics.registerFont(TTFont(name, str(FONTS / f"{name}.ttf")))
    return name


def plain(path, pages=4):
    source = random.Random(1)
    texts = [paragraph(source) for _ in range(8 * pages)]
    style = getSampleStyleSheet()["BodyText"]
    SimpleDocTemplate(path, pagesize=A4).build([Paragraph(text, style) for text in texts])
    return "\n".join(texts)


def justified(path):
    source = random.Random(2)
    texts = [paragraph(source) for _ in range(20)]
    style = ParagraphStyle("j", fontName="Times-Roman", fontSize=10, leading=12, alignment=4)
    SimpleDocTemplate(path, pagesize=A4, leftMargin=5 * cm, rightMargin=5 * cm).build([Paragraph(t, style) for t in texts])
    return "\n".join(texts)


def columns(path, count=2, justify=4, title=True):
    source = random.Random(3 + count)
    gap = 0.7 * cm
    width = (WIDTH - 4 * cm - gap * (count - 1)) / count
    top = 3 * cm if title else 0
    frames = [Frame(2 * cm + i * (width + gap), 2 * cm, width, HEIGHT - 4 * cm - top, 0, 0, 0, 0) for i in range(count)]
    if title:
        frames.insert(0, Frame(2 * cm, HEIGHT - 5 * cm, WIDTH - 4 * cm, 3 * cm, 0, 0, 0, 0))
    document = BaseDocTemplate(path, pagesize=A4)
    later = [Frame(2 * cm + i * (width + gap), 2 * cm, width, HEIGHT - 4 * cm, 0, 0, 0, 0) for i in range(count)]
    document.addPageTemplates([PageTemplate("first", frames), PageTemplate("later", later)])
    style = ParagraphStyle("c", fontName="Times-Roman", fontSize=10, leading=12, alignment=justify)
    heading = ParagraphStyle("h", fontName="Helvetica-Bold", fontSize=18, leading=22, alignment=1)
    texts = [paragraph(source) for _ in range(24)]
    story = [NextPageTemplate("later")]
    words = []
    if title:
        words = [sentence(source, 14), sentence(source, 18)]
        story += [Paragraph(word, heading) for word in words] + [FrameBreak()]
    story += [Paragraph(text, style) for text in texts]
    document.build(story)
    return "\n".join(words + texts)


def table(path):
    source = random.Random(5)
    rows = [[f"{source.choice(VOCABULARY)} {row}", str(source.randint(1, 9999)), source.choice(VOCABULARY), f"{source.random():.3f}"] for row in range(60)]
    made = Table(rows, repeatRows=0)
    made.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
    SimpleDocTemplate(path, pagesize=A4).build([Paragraph("A table", getSampleStyleSheet()["Heading1"]), made])
    return "A table\n" + "\n".join(" ".join(row) for row in rows)


def table_of_paragraphs(path):
    source = random.Random(6)
    style = getSampleStyleSheet()["BodyText"]
    rows = [[paragraph(source, 2), paragraph(source, 3)] for _ in range(12)]
    made = Table([[Paragraph(cell, style) for cell in row] for row in rows], colWidths=[7 * cm, 8 * cm])
    made.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")]))
    SimpleDocTemplate(path, pagesize=A4).build([made])
    return "\n".join(" ".join(row) for row in rows)


def form_like(path):
    source = random.Random(7)
    page = canvas.Canvas(path, pagesize=A4)
    lines = []
    for row in range(40):
        label, value = f"{source.choice(VOCABULARY).title()} {row}:", sentence(source, 5)
        page.drawString(2 * cm, HEIGHT - 2 * cm - row * 16, label)
        page.drawString(9 * cm, HEIGHT - 2 * cm - row * 16, value)
        lines.append(f"{label} {value}")
    page.save()
    return "\n".join(lines)


def scripts(path):
    font = dejavu()
    texts = [
        "Η γρήγορη καφέ αλεπού πηδάει πάνω από το τεμπέλικο σκυλί και φεύγει.",
        "Съешь же ещё этих мягких французских булок, да выпей чаю с лимоном.",
        "Con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng trong vườn nhà tôi.",
        "Příliš žluťoučký kůň úpěl ďábelské ódy při dlouhém večerním koncertu.",
        "The office staff offered an efficient difficult affluent waffle.",
        "Zażółć gęślą jaźń, a potem idź do domu wcześnie rano w sobotę.",
    ]
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont(font, 12)
    for row, text in enumerate(texts * 4):
        page.drawString(2 * cm, HEIGHT - 2 * cm - row * 20, text)
    page.save()
    return "\n".join(texts * 4)


def wide_scripts(path):
    texts = {
        "HeiseiMin-W3": "日本語の文章をここに書きます。これは試験のための文です。",
        "STSong-Light": "这是一个用来测试中文文本提取的句子，请仔细阅读。",
        "MSung-Light": "這是一個用來測試繁體中文的句子。",
        "HYSMyeongJo-Medium": "이것은 한국어 텍스트 추출을 시험하기 위한 문장입니다.",
    }
    page = canvas.Canvas(path, pagesize=A4)
    row = 0
    for font, text in texts.items():
        pdfmetrics.registerFont(UnicodeCIDFont(font))
        for _ in range(5):
            page.setFont(font, 12)
            page.drawString(2 * cm, HEIGHT - 2 * cm - row * 20, text)
            row += 1
    page.save()
    return "\n".join("\n".join([text] * 5) for text in texts.values())



def leftward(path):
    """Hebrew and Arabic as programs without an idea of them draw it: letter by letter from the left."""
    font = dejavu()
    hebrew = ["המהיר של השועל החום קופץ מעל הכלב העצלן", "בשנת 2024 נמכרו 350 ספרים בחנות הקטנה", "אני כותב קוד בשפת Rust כל יום בבית"]
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont(font, 12)
    row = 0
    expected = []
    for text in hebrew * 6:
        page.drawRightString(WIDTH - 2 * cm, HEIGHT - 2 * cm - row * 20, seen(text))
        expected.append(text)
        row += 1
    page.save()
    return "\n".join(expected)


def seen(text):
    """The letters from left to right, as a line of Hebrew is seen: all turned around but numbers and Latin words."""
    import re

    parts = re.findall(r"[0-9A-Za-z]+|[^0-9A-Za-z]", text)
    return "".join(reversed(parts))


def shuffled(path):
    source = random.Random(8)
    lines = [sentence(source, 10) for _ in range(45)]
    order = list(enumerate(lines))
    source.shuffle(order)
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont("Times-Roman", 11)
    for row, text in order:
        page.drawString(2 * cm, HEIGHT - 2 * cm - row * 14, text)
    page.save()
    return "\n".join(lines)


def shuffled_columns(path):
    source = random.Random(9)
    left, right = ([sentence(source, 7) for _ in range(45)] for _ in range(2))
    items = [(2 * cm, row, text) for row, text in enumerate(left)] + [(11 * cm, row, text) for row, text in enumerate(right)]
    source.shuffle(items)
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont("Times-Roman", 9)
    for x, row, text in items:
        page.drawString(x, HEIGHT - 2 * cm - row * 14, text)
    page.save()
    return "\n".join(left + right)


def glyph_by_glyph(path):
    source = random.Random(10)
    lines = [sentence(source, 10) for _ in range(40)]
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont("Times-Roman", 11)
    for row, text in enumerate(lines):
        x = 2 * cm
        for letter in text:
            if letter != " ":
                page.drawString(x, HEIGHT - 2 * cm - row * 16, letter)
            x += pdfmetrics.stringWidth(letter, "Times-Roman", 11)
    page.save()
    return "\n".join(lines)


def spaced_out(path):
    """Letters set apart, as in headings."""
    source = random.Random(11)
    lines = [sentence(source, 6) for _ in range(30)]
    page = canvas.Canvas(path, pagesize=A4)
    for row, text in enumerate(lines):
        writing = page.beginText(2 * cm, HEIGHT - 2 * cm - row * 20)
        writing.setFont("Helvetica", 12)
        writing.setCharSpace(1.5)
        writing.textOut(text)
        page.drawText(writing)
    page.save()
    return "\n".join(lines)


def sideways(path):
    """A page that is drawn upright and shown on its side."""
    source = random.Random(12)
    lines = [sentence(source, 12) for _ in range(30)]
    page = canvas.Canvas(path, pagesize=A4)
    page.setPageRotation(90)
    page.saveState()
    page.rotate(90)
    page.setFont("Times-Roman", 11)
    for row, text in enumerate(lines):
        page.drawString(2 * cm, -2 * cm - row * 16, text)
    page.restoreState()
    page.save()
    return "\n".join(lines)


def raised(path):
    source = random.Random(13)
    style = getSampleStyleSheet()["BodyText"]
    marked, expected = [], []
    for _ in range(16):
        words = sentence(source, 40).split()
        for at in range(5, 40, 9):
            words[at] += f"<super>{at}</super>"
        marked.append(" ".join(words))
        expected.append(" ".join(word.replace("<super>", " ").replace("</super>", " ") for word in words))
    SimpleDocTemplate(path, pagesize=A4).build([Paragraph(text, style) for text in marked])
    return "\n".join(expected)


def accents(path):
    """Letters with their accents drawn over them, as old TeX does."""
    font = dejavu("DejaVuSerif")
    words = ["café", "naïve", "señor", "über", "crème", "élève", "Ångström", "façade", "hôtel", "Čapek"]
    import unicodedata

    above = {"\u0301": "´", "\u0300": "`", "\u0308": "¨", "\u0302": "ˆ", "\u0303": "˜", "\u030c": "ˇ", "\u030a": "˚", "\u0327": "¸"}
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont(font, 12)
    expected = []
    for row in range(20):
        x = 2 * cm
        y = HEIGHT - 2 * cm - row * 20
        for word in words:
            for letter in word + " ":
                base, *mark = unicodedata.normalize("NFD", letter)
                width = pdfmetrics.stringWidth(base, font, 12)
                if mark:
                    accent = above[mark[0]]
                    offset = (width - pdfmetrics.stringWidth(accent, font, 12)) / 2
                    page.drawString(x + offset, y + (2 if base.isupper() else 0), accent)
                page.drawString(x, y, base)
                x += width
        expected.append(" ".join(words))
    page.save()
    return "\n".join(expected)


def bold_by_drawing_twice(path):
    source = random.Random(14)
    lines = [sentence(source, 8) for _ in range(30)]
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont("Helvetica", 11)
    for row, text in enumerate(lines):
        for aside in (0, 0.3):
            page.drawString(2 * cm + aside, HEIGHT - 2 * cm - row * 16, text)
    page.save()
    return "\n".join(lines)


def form_fields(path):
    page = canvas.Canvas(path, pagesize=A4)
    page.setFont("Helvetica", 12)
    lines = []
    for row, (label, value) in enumerate([("Name", "Ada Lovelace"), ("City", "London"), ("Work", "Analytical Engine")]):
        y = HEIGHT - 3 * cm - row * 40
        page.drawString(2 * cm, y, label)
        page.acroForm.textfield(name=label, value=value, x=6 * cm, y=y - 5, width=200, height=20, fontSize=12)
        lines.append(f"{label} {value}")
    page.save()
    return "\n".join(lines)


def landscape_columns(path):
    source = random.Random(15)
    width, height = landscape(A4)
    frames = [Frame(1 * cm + i * 9.4 * cm, 1 * cm, 8.6 * cm, height - 2 * cm, 0, 0, 0, 0) for i in range(3)]
    document = BaseDocTemplate(path, pagesize=(width, height))
    document.addPageTemplates([PageTemplate("p", frames)])
    texts = [paragraph(source) for _ in range(24)]
    style = ParagraphStyle("c", fontName="Helvetica", fontSize=9, leading=11)
    document.build([item for text in texts for item in (Paragraph(text, style), Spacer(1, 6))])
    return "\n".join(texts)


def encrypted(path, algorithm="AES-256"):
    import pypdf

    expected = plain(path, 2)
    writer = pypdf.PdfWriter(clone_from=path)
    writer.encrypt(user_password="", owner_password="owner", algorithm=algorithm)
    writer.write(path)
    return expected


def with_object_streams(path):
    import subprocess

    expected = plain(path, 2)
    done = subprocess.run(["qpdf", "--object-streams=generate", path, path + ".2"])
    if done.returncode == 0:
        pathlib.Path(path + ".2").replace(path)
    return expected


def broken_references(path):
    expected = plain(path, 2)
    data = pathlib.Path(path).read_bytes()
    at = data.rindex(b"startxref")
    pathlib.Path(path).write_bytes(data[:at] + b"startxref\n12345\n%%EOF")
    return expected


def junk_before(path):
    expected = plain(path, 2)
    data = pathlib.Path(path).read_bytes()
    pathlib.Path(path).write_bytes(bytes(range(1, 151)) * 2 + b"\n" + data)
    return expected


def drawn_font(path):
    """A font whose glyphs are drawings, with names that say nothing."""
    codes = sorted(set(b"Drawn glyphs still have codes"))
    lines = ["Drawn glyphs still have codes"] * 20
    objects = []
    procedures = " ".join(f"/g{code} 5 0 R" for code in codes)
    differences = " ".join(f"{code} /g{code}" for code in codes)
    widths = " ".join("600" for _ in range(256))
    content = "BT /F 12 Tf 14 TL 72 800 Td " + " ".join(f"({line}) '" for line in lines) + " ET"
    objects.append("<</Type/Catalog/Pages 2 0 R>>")
    objects.append("<</Type/Pages/Kids[3 0 R]/Count 1>>")
    objects.append("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R>>>>/Contents 6 0 R>>")
    objects.append(
        f"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 0/LastChar 255"
        f"/Widths[{widths}]/CharProcs<<{procedures}>>/Encoding<</Type/Encoding/Differences[{differences}]>>/Resources<<>>>>"
    )
    objects.append("<</Length 36>>stream\n600 0 0 0 600 700 d1 0 0 600 700 re f\nendstream")
    objects.append(f"<</Length {len(content)}>>stream\n{content}\nendstream")
    data = io.BytesIO(b"")
    data.write(b"%PDF-1.4\n")
    places = []
    for number, text in enumerate(objects, 1):
        places.append(data.tell())
        data.write(f"{number} 0 obj{text}endobj\n".encode())
    table = data.tell()
    data.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    for place in places:
        data.write(f"{place:010} 00000 n \n".encode())
    data.write(f"trailer<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{table}\n%%EOF".encode())
    pathlib.Path(path).write_bytes(data.getvalue())
    return "\n".join(lines)


CASES = {
    "plain": plain,
    "justified": justified,
    "two columns": columns,
    "two columns, ragged, no title": lambda path: columns(path, 2, 0, False),
    "three columns": lambda path: columns(path, 3, 0),
    "three columns, landscape": landscape_columns,
    "table": table,
    "table of paragraphs": table_of_paragraphs,
    "labels and values": form_like,
    "Greek, Cyrillic, Vietnamese, …": scripts,
    "Chinese, Japanese, Korean": wide_scripts,
    "Hebrew": leftward,
    "shuffled lines": shuffled,
    "shuffled columns": shuffled_columns,
    "one glyph an operator": glyph_by_glyph,
    "letters set apart": spaced_out,
    "a page on its side": sideways,
    "raised numbers": raised,
    "accents drawn over letters": accents,
    "bold by drawing twice": bold_by_drawing_twice,
    "form fields": form_fields,
    "AES-256, empty password": encrypted,
    "RC4, empty password": lambda path: encrypted(path, "RC4-128"),
    "object streams": with_object_streams,
    "broken cross-reference": broken_references,
    "300 bytes of junk before": junk_before,
    "drawn font (Type 3)": drawn_font,
}
